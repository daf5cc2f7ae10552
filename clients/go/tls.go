package croupier

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// TLS says whom to trust and what to show. An empty one trusts the usual authorities and shows nothing.
type TLS struct {
	// CA is a PEM file with the authorities to trust; empty: the usual ones.
	CA string
	// Cert is a PEM file with the bot's own certificate, where the server asks for one; any intermediate ones follow it.
	Cert string
	// Key is a PEM file with its private key, without a passphrase.
	Key string
	// Config is used instead of the files, for what they cannot say; nil: the files.
	Config *tls.Config

	plain bool
}

// PlainText is for [Config.TLS]: no TLS, whatever the environment says.
var PlainText = &TLS{plain: true}

// BadCertificate is returned where a file for TLS cannot be read, or is not what it should be.
type BadCertificate struct{ problem string }

// Error names the file and what is wrong with it.
func (err *BadCertificate) Error() string {
	return "tls: " + err.problem
}

// orFromEnvironment returns what the environment says where nothing was said; nil: plain text.
func (files *TLS) orFromEnvironment() *TLS {
	if files != nil {
		return files
	}
	named := TLS{CA: os.Getenv("CROUPIER_TLS_CA"), Cert: os.Getenv("CROUPIER_TLS_CERT"), Key: os.Getenv("CROUPIER_TLS_KEY")}
	if named != (TLS{}) {
		return &named
	}
	switch strings.ToLower(os.Getenv("CROUPIER_TLS")) {
	case "1", "true", "yes", "on":
		return &TLS{}
	}
	return nil
}

// credentials reads the files anew each time, so that renewed ones are found.
func (files *TLS) credentials() (credentials.TransportCredentials, error) {
	if files == nil || files.plain {
		return insecure.NewCredentials(), nil
	}
	if files.Config != nil {
		return credentials.NewTLS(files.Config), nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if files.CA != "" {
		text, err := readFile(files.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, &BadCertificate{files.CA + " holds no certificate in PEM"}
		}
	}
	pair, err := files.pair()
	if err != nil {
		return nil, err
	}
	config.Certificates = pair
	return credentials.NewTLS(config), nil
}

// pair returns the bot's own certificate; none where there is none.
func (files *TLS) pair() ([]tls.Certificate, error) {
	switch {
	case files.Cert == "" && files.Key == "":
		return nil, nil
	case files.Key == "":
		return nil, &BadCertificate{"cert was given without key; they belong together"}
	case files.Cert == "":
		return nil, &BadCertificate{"key was given without cert; they belong together"}
	}
	cert, err := readFile(files.Cert)
	if err != nil {
		return nil, err
	}
	key, err := readFile(files.Key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	switch {
	case err == nil:
		return []tls.Certificate{pair}, nil
	case hasPassphrase(key):
		return nil, &BadCertificate{files.Key + " has a passphrase; give a key without one"}
	case strings.Contains(err.Error(), "does not match"):
		return nil, &BadCertificate{files.Key + " is not the key of " + files.Cert}
	default:
		problem := files.Cert + " and " + files.Key + " are not a certificate and a private key in PEM"
		return nil, &BadCertificate{problem}
	}
}

func hasPassphrase(key []byte) bool {
	block, _ := pem.Decode(key)
	return block != nil && (block.Type == "ENCRYPTED PRIVATE KEY" || bytes.Contains(key, []byte("Proc-Type: 4,ENCRYPTED")))
}

func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err == nil {
		return text, nil
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return nil, &BadCertificate{fmt.Sprintf("cannot read %s: %v", path, err)}
}
