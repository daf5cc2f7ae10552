/** What the SDK has to say. */

/** Where the SDK logs: `console`, or any logger with these four methods. Each message is one line of text. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Shows warnings on stderr and, where that is a terminal, news as well. */
export const STDERR: Logger = {
  debug: () => undefined,
  info: (message) => {
    if (process.stderr.isTTY) show(message);
  },
  warn: show,
  error: (message, error) => {
    show(error instanceof Error ? `${message}\n${error.stack ?? String(error)}` : message);
  },
};

function show(message: string): void {
  process.stderr.write(`${new Date().toTimeString().slice(0, 8)} croupier: ${message}\n`);
}
