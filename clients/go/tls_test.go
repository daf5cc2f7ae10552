package croupier

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
)

// TLS: what is trusted, what is shown, and what is said when it does not work out.

// An authority signs certificates.
type authority struct {
	test *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(test *testing.T) *authority {
	authority := &authority{test: test}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "an authority"},
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	authority.cert, authority.key = authority.sign(template)
	return authority
}

func (authority *authority) sign(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		authority.test.Fatal(err)
	}
	parent, signer := authority.cert, authority.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		authority.test.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		authority.test.Fatal(err)
	}
	return cert, key
}

func (authority *authority) issue(host string) (*x509.Certificate, *ecdsa.PrivateKey) {
	return authority.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: host},
		DNSNames:     []string{host},
		NotAfter:     time.Now().Add(time.Hour),
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// file writes a PEM file and returns its path.
func file(test *testing.T, blockType string, bytes []byte) string {
	path := filepath.Join(test.TempDir(), "file.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: blockType, Bytes: bytes}), 0o600); err != nil {
		test.Fatal(err)
	}
	return path
}

func certFile(test *testing.T, cert *x509.Certificate) string {
	return file(test, "CERTIFICATE", cert.Raw)
}

func keyFile(test *testing.T, key *ecdsa.PrivateKey) string {
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		test.Fatal(err)
	}
	return file(test, "PRIVATE KEY", bytes)
}

// newSecureServer greets over TLS; where it asks for a certificate, for one of this authority.
func newSecureServer(test *testing.T, authority *authority, host string, asks bool) *fakeServer {
	cert, key := authority.issue(host)
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
	if asks {
		config.ClientAuth = tls.RequireAndVerifyClientCert
		config.ClientCAs = x509.NewCertPool()
		config.ClientCAs.AddCert(authority.cert)
	}
	server := newServer(test, grpc.Creds(credentials.NewTLS(config)))
	server.target = strings.Replace(server.target, "127.0.0.1", "localhost", 1)
	return server
}

func with(files *TLS) func(*Config) {
	return func(config *Config) { config.TLS = files }
}

func TestABotTrustsTheAuthorityItIsGiven(t *testing.T) {
	authority := newAuthority(t)
	server := newSecureServer(t, authority, "localhost", false)
	play(t, server, Bot{Choose: first}, with(&TLS{CA: certFile(t, authority.cert)}))
	server.accept()
	pool := x509.NewCertPool()
	pool.AddCert(authority.cert)
	play(t, server, Bot{Choose: first}, with(&TLS{Config: &tls.Config{RootCAs: pool}}))
	server.accept()
}

func TestABotShowsItsOwnCertificateWhereTheServerAsksForOne(t *testing.T) {
	authority := newAuthority(t)
	server := newSecureServer(t, authority, "localhost", true)
	cert, key := authority.issue("ann.example.org")
	play(t, server, Bot{Choose: first}, with(&TLS{certFile(t, authority.cert), certFile(t, cert), keyFile(t, key), nil, false}))
	server.accept()
}

func TestFilesForTLSMayBeNamedInTheEnvironment(t *testing.T) {
	authority := newAuthority(t)
	server := newSecureServer(t, authority, "localhost", true)
	cert, key := authority.issue("ann.example.org")
	t.Setenv("CROUPIER_TLS_CA", certFile(t, authority.cert))
	t.Setenv("CROUPIER_TLS_CERT", certFile(t, cert))
	t.Setenv("CROUPIER_TLS_KEY", keyFile(t, key))
	play(t, server, Bot{Choose: first}, with(nil))
	server.accept()
}

func TestTheEnvironmentTurnsTLSOnAndOff(t *testing.T) {
	for value, on := range map[string]bool{"1": true, "True": true, "yes": true, "on": true, "": false, "0": false, "no": false} {
		t.Setenv("CROUPIER_TLS", value)
		if files := (*TLS)(nil).orFromEnvironment(); (files != nil) != on {
			t.Errorf("%q: %v", value, files)
		}
		if files := PlainText.orFromEnvironment(); !files.plain {
			t.Errorf("%q: the environment goes before the code", value)
		}
	}
}

func TestWhatIsSaidWhileABotCannotConnect(t *testing.T) {
	mine, strangers := newAuthority(t), newAuthority(t)
	cert, key := strangers.issue("ann.example.org")
	trusting := &TLS{CA: certFile(t, mine.cert)}
	plainServer := newServer(t)
	plainServer.target = strings.Replace(plainServer.target, "127.0.0.1", "localhost", 1)
	for name, failing := range map[string]struct {
		server *fakeServer
		files  *TLS
		says   string
	}{
		"an unknown authority": {newSecureServer(t, mine, "localhost", false), &TLS{CA: certFile(t, strangers.cert)},
			"signed by none of the authorities that this side trusts"},
		"another host": {newSecureServer(t, mine, "example.org", false), trusting,
			"the server's certificate is for another host name"},
		"no certificate of its own": {newSecureServer(t, mine, "localhost", true), trusting,
			"CROUPIER_TLS_CERT"}, // the words depend on who is quicker
		"a stranger's certificate": {newSecureServer(t, mine, "localhost", true),
			&TLS{trusting.CA, certFile(t, cert), keyFile(t, key), nil, false},
			"CROUPIER_TLS_CERT"},
		"a server that speaks plain text": {plainServer, trusting, "the server speaks plain text, not TLS"},
		"a server that speaks TLS": {newSecureServer(t, mine, "localhost", false), PlainText,
			"the server closed the connection at once: does it speak TLS (CROUPIER_TLS=1)"},
	} {
		t.Run(name, func(t *testing.T) {
			tried := make(chan struct{}, 1)
			player := play(t, failing.server, Bot{Choose: first}, with(failing.files), func(config *Config) {
				config.Backoff.sleep = func(ctx context.Context, _ time.Duration) { tried <- struct{}{}; <-ctx.Done() }
			})
			receive(t, tried, "the first try")
			logged(t, player, failing.says)
			if len(failing.server.streams) != 0 {
				t.Error("it got in")
			}
		})
	}
}

func TestABadFileIsNamedBeforeAnythingIsTried(t *testing.T) {
	authority := newAuthority(t)
	cert, key := authority.issue("a.example.org")
	_, otherKey := authority.issue("b.example.org")
	certs, keys, others := certFile(t, cert), keyFile(t, key), keyFile(t, otherKey)
	nonsense := filepath.Join(t.TempDir(), "bad.pem")
	if err := os.WriteFile(nonsense, []byte("bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	locked := file(t, "ENCRYPTED PRIVATE KEY", []byte("locked"))
	for name, broken := range map[string]struct {
		files TLS
		says  string
	}{
		"missing":       {TLS{CA: "/no/such/ca.pem"}, "tls: cannot read /no/such/ca.pem: no such file or directory"},
		"nonsense":      {TLS{CA: nonsense}, "tls: " + nonsense + " holds no certificate in PEM"},
		"half":          {TLS{Cert: certs}, "tls: cert was given without key; they belong together"},
		"other half":    {TLS{Key: keys}, "tls: key was given without cert; they belong together"},
		"missing cert":  {TLS{Cert: "/no/such.pem", Key: keys}, "tls: cannot read /no/such.pem: no such file or directory"},
		"missing key":   {TLS{Cert: certs, Key: "/no/such.key"}, "tls: cannot read /no/such.key: no such file or directory"},
		"other key":     {TLS{Cert: certs, Key: others}, "tls: " + others + " is not the key of " + certs},
		"passphrase":    {TLS{Cert: certs, Key: locked}, "tls: " + locked + " has a passphrase; give a key without one"},
		"nonsense pair": {TLS{Cert: certs, Key: nonsense}, "tls: " + certs + " and " + nonsense + " are not a certificate and a private key in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Play(context.Background(), Bot{Choose: first}, Config{Target: "localhost:1", TLS: &broken.files})
			var bad *BadCertificate
			if !errors.As(err, &bad) || err.Error() != broken.says {
				t.Error(err)
			}
		})
	}
}

func TestAFileThatGoesMissingWhileTheBotPlaysIsWaitedFor(t *testing.T) {
	authority := newAuthority(t)
	ca := certFile(t, authority.cert)
	good, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	server := newSecureServer(t, authority, "localhost", false)
	server.refuse(codes.Unavailable, "first")
	pauses := 0
	player := play(t, server, Bot{Choose: first}, with(&TLS{CA: ca}), func(config *Config) {
		config.Backoff.sleep = func(context.Context, time.Duration) {
			pauses++
			if pauses == 1 {
				os.Remove(ca)
			} else {
				os.WriteFile(ca, good, 0o600)
			}
		}
	})
	server.accept()
	logged(t, player, "cannot read "+ca)
	if pauses != 2 {
		t.Error(pauses)
	}
}
