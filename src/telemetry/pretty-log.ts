import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

/** What a terminal obeys instead of showing it. Whoever asks for a path, or makes a contract revert, could write it. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f-\x9f]/g;
const spell = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** Lets nothing of a line be obeyed by the terminal; a stack keeps the ends of its lines. */
const harmless = (key: string, value: unknown): unknown =>
  typeof value === 'string'
    ? value.replace(CONTROL, (found) => (key === 'stack' && found === '\n' ? found : spell(found)))
    : value;

interface Line {
  level: number;
  msg: string;
  req?: { id: string; method: string; path: string };
  res?: { statusCode: number };
  responseTime?: number;
}

const WARN = 40;

/** A request in a few words. Its id, which its caller was told, stands where something went wrong. */
function describe({ level, msg, req, res, responseTime }: Line): string {
  if (!req) return msg;
  const what = res ? `${res.statusCode} in ${responseTime} ms` : msg;
  return [`${req.method} ${req.path}`, what, ...(level >= WARN ? [`(request ${req.id})`] : [])].join(' ');
}

/** Makes lines for people out of the JSON lines that it is given. */
export function createTerminal(write: (text: string) => void): DestinationStream {
  const format = prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    errorLikeObjectKeys: ['err'],
    ignore: 'req,res,responseTime',
    messageFormat: (line) => describe(line as unknown as Line),
  });
  return { write: (line) => write(format(JSON.parse(line, harmless))) };
}
