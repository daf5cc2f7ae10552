package croupier

import (
	"fmt"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A ServerError is a server's no. [Refused] and [Replaced] are the two kinds of it.
type ServerError struct {
	// Code is the gRPC status.
	Code codes.Code
	// Message says what was wrong, for people.
	Message string
	// Reason says what was wrong, for programs: "UNKNOWN_GAME"; empty where the server gives none.
	Reason string
	// Violations are the bad fields.
	Violations []Violation
}

// A Violation says what is wrong with a field.
type Violation struct {
	// Field is the field: "bots[2]".
	Field string
	// Description says what is wrong with it, for people.
	Description string
}

// Refused is returned where the server will not have the bot, and asking again would not help: a wrong token, a bad name.
type Refused struct{ ServerError }

// Replaced is returned where a newer connection of the same bot took over. Is the bot running twice?
type Replaced struct{ ServerError }

// Error says in one line what was wrong and, where that is known, what to do about it.
func (err *ServerError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v: %s", err.Code, err.Message)
	var fields []string
	for _, violation := range err.Violations {
		if !strings.Contains(err.Message, violation.Description) {
			fields = append(fields, violation.Field+": "+violation.Description)
		}
	}
	if len(fields) > 0 {
		fmt.Fprintf(&text, " (%s)", strings.Join(fields, "; "))
	}
	if hint := hints[err.Code]; hint != "" {
		fmt.Fprintf(&text, " (%s)", hint)
	}
	return text.String()
}

var hints = map[codes.Code]string{
	codes.Unauthenticated: "give the bot's token: Config.Token, or CROUPIER_TOKEN in the environment",
	codes.Unimplemented:   "is this a Croupier server?",
}

// final returns the error that ends the playing at a server, or nil where trying again may help.
func final(failed *status.Status) error {
	switch failed.Code() {
	case codes.Aborted:
		return &Replaced{serverError(failed)}
	case codes.AlreadyExists, codes.FailedPrecondition, codes.InvalidArgument, codes.NotFound, codes.OutOfRange,
		codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented:
		return &Refused{serverError(failed)}
	default:
		return nil
	}
}

func serverError(failed *status.Status) ServerError {
	err := ServerError{Code: failed.Code(), Message: said(failed)}
	for _, detail := range failed.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			err.Reason = detail.GetReason()
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				err.Violations = append(err.Violations, Violation{violation.GetField(), violation.GetDescription()})
			}
		}
	}
	return err
}

// causeOf says in a few words why a connection failed.
func causeOf(failed *status.Status) string {
	if ofGRPCItself(failed.Code()) {
		return said(failed)
	}
	return fmt.Sprintf("%v: %s", failed.Code(), said(failed))
}

// said returns the message of a failed call, in plain words where gRPC itself failed.
func said(failed *status.Status) string {
	message := failed.Message()
	if message == "" {
		return "no reason given"
	}
	if ofGRPCItself(failed.Code()) {
		lower := strings.ToLower(message)
		for _, cause := range causes {
			if strings.Contains(lower, cause.sign) {
				return cause.meaning
			}
		}
	}
	return message
}

func ofGRPCItself(code codes.Code) bool {
	return code == codes.Unavailable || code == codes.Internal
}

const (
	lost         = "connection lost"
	closedAtOnce = "the server closed the connection at once: does it speak TLS (CROUPIER_TLS=1), or ask for a " +
		"certificate (CROUPIER_TLS_CERT)?"
)

// What gRPC's messages contain (the first that is found), and what that means to people.
var causes = []struct{ sign, meaning string }{
	{"certificate signed by unknown authority", "the server's certificate is signed by none of the authorities that " +
		"this side trusts: name the right one (TLS.CA, or CROUPIER_TLS_CA)"},
	{"x509: certificate is valid for", "the server's certificate is for another host name"},
	{"x509: certificate is not valid for", "the server's certificate is for another host name"},
	{"certificate has expired", "the server's certificate has expired"},
	{"certificate required", "the server asks for a certificate (TLS.Cert, or CROUPIER_TLS_CERT)"},
	{"bad certificate", "the server does not take this certificate (TLS.Cert, or CROUPIER_TLS_CERT)"},
	{"unknown certificate authority", "the server does not take this certificate (TLS.Cert, or CROUPIER_TLS_CERT)"},
	{"first record does not look like a tls handshake", "the server speaks plain text, not TLS"},
	{"error reading server preface", closedAtOnce},
	{"connection refused", "connection refused"},
	{"connection reset", lost},
	{"broken pipe", lost},
	{"error reading from server", lost},
	{"transport is closing", lost},
	{"goaway", "the server has stopped"},
	{"no such host", "no such host"},
	{"produced zero addresses", "no such host"},
	{"network is unreachable", "network unreachable"},
	{"no route to host", "network unreachable"},
	{"keepalive", "no sign of life"},
	{"i/o timeout", "no answer"},
	{"deadline exceeded", "no answer"},
	{"authentication handshake failed", "no TLS connection: does the server speak TLS, with a certificate that this bot trusts?"},
}
