import pino from 'pino';

export type Logger = pino.Logger;

/**
 * Creates a logger of JSON lines on standard output, or to `destination`. No call logs a secret; the redaction is a
 * second safeguard.
 * @param replica what each line calls this process
 */
export function createLogger(level: string, destination?: pino.DestinationStream, replica?: string): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: replica === undefined ? null : { replica },
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
