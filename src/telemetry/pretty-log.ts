import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

/** Control characters, which a terminal interprets. A request's path or a revert's reason may contain them. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f-\x9f]/g;

/** JSON reviver that escapes control characters; a stack keeps its line breaks. */
function escapeControl(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(CONTROL, (found) => (key === 'stack' && found === '\n' ? found : escape(found)));
}

function escape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** Back to the beginning of the line, which is erased (ECMA-48: CR, EL). */
const ERASE = '\r\x1b[2K';

interface Line {
  level: number;
  msg: string;
  req?: { id: string; method: string; path: string };
  res?: { statusCode: number };
  responseTime?: number;
}

const WARN = 40;

/** Describes a request in a few words, with its id when something went wrong. */
function describe({ level, msg, req, res, responseTime }: Line): string {
  if (!req) return msg;
  const what = res ? `${res.statusCode} in ${responseTime} ms` : msg;
  return [`${req.method} ${req.path}`, what, ...(level >= WARN ? [`(request ${req.id})`] : [])].join(' ');
}

/** Creates a stream that turns JSON lines into lines for people. A line of progress is rewritten by the next one. */
export function createTerminal(write: (text: string) => void): DestinationStream {
  const format = prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    errorLikeObjectKeys: ['err'],
    ignore: 'req,res,responseTime,progress',
    messageFormat: (line) => describe(line as typeof line & Line),
  });
  let isMoving = false;
  return {
    write: (line) => {
      const parsed = JSON.parse(line, escapeControl) as { progress?: boolean };
      if (isMoving) write(ERASE);
      isMoving = parsed.progress === true;
      const text = format(parsed);
      write(isMoving ? text.trimEnd() : text);
    },
  };
}
