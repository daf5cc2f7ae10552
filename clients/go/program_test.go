package croupier

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"
)

// A bot as the whole of a program. The program is this test's own, started once more.

func TestMain(tests *testing.M) {
	if os.Getenv("CROUPIER_TEST_PROGRAM") != "" {
		Main(Bot{Choose: first})
		os.Exit(0)
	}
	os.Exit(tests.Run())
}

type program struct {
	test   *testing.T
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr bytes.Buffer
}

func startProgram(test *testing.T, target string, arguments ...string) *program {
	program := &program{test: test, cmd: exec.Command(os.Args[0], arguments...)}
	program.cmd.Env = []string{"CROUPIER_TEST_PROGRAM=1", "CROUPIER_NAME=first", "CROUPIER_TARGET=" + target}
	program.cmd.Stdout, program.cmd.Stderr = &program.stdout, &program.stderr
	if err := program.cmd.Start(); err != nil {
		test.Fatal(err)
	}
	test.Cleanup(func() { _ = program.cmd.Process.Kill() })
	return program
}

// exits waits for the program and returns its exit code and what it has written.
func (program *program) exits() (code int, stdout, stderr string) {
	err := program.cmd.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		program.test.Fatal(err)
	}
	return program.cmd.ProcessState.ExitCode(), program.stdout.String(), program.stderr.String()
}

func TestSignalsEndABotCleanly(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			server := newServer(t)
			program := startProgram(t, server.target)
			stream := server.accept()
			if stream.hello.GetBot() != "first" {
				t.Error(stream.hello)
			}
			if err := program.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if code, stdout, stderr := program.exits(); code != 0 || stdout+stderr != "" {
				t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
			}
			stream.gone()
		})
	}
}

func TestAProgramThatIsRefusedSaysWhyInOneLine(t *testing.T) {
	server := newServer(t)
	server.refuse(codes.PermissionDenied, "first is banned")
	code, _, stderr := startProgram(t, server.target).exits()
	if code != 1 || !strings.HasSuffix(stderr, ": PermissionDenied: first is banned\n") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

func TestAProgramExplainsItself(t *testing.T) {
	code, stdout, stderr := startProgram(t, "", "--help").exits()
	if code != 0 || !strings.Contains(stdout, "CROUPIER_TLS_CERT") || stderr != "" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, stderr = startProgram(t, "", "--nonsense").exits()
	wanted := "unknown argument \"--nonsense\": a bot with arguments of its own uses Run\nusage: "
	if code != 2 || stdout != "" || !strings.HasPrefix(stderr, wanted) {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}
