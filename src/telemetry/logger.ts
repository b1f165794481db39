import pino from 'pino';

export type Logger = pino.Logger;

/**
 * Structured logs, a line of JSON each: on standard output, or to `destination`. What may be a secret is named nowhere
 * in our calls; the redaction is the second net under that.
 */
export function createLogger(level: string, destination?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'password',
        '*.password',
        'authorization',
        '*.authorization',
        'cookie',
        '*.cookie',
        'key',
        '*.key',
      ],
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
