import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Spectral } from '@stoplight/spectral-core';
import { exceptions, ruleset } from './owasp/ruleset.ts';

/**
 * Compares openapi.yaml, or the file that is named, with the rules of scripts/owasp/ruleset.ts. Exits with 1 when it
 * breaks one, and when an exception has become needless.
 */
const file = process.argv[2] ?? join(import.meta.dirname, '..', 'openapi.yaml');
const spectral = new Spectral();
spectral.setRuleset(ruleset);
const findings = await spectral.run(await readFile(file, 'utf8'));

const used = new Set<string>();
// A component is found again wherever it is referred to.
const lines = new Set<string>();
for (const { code, message, path, range } of findings) {
  const exception = exceptions.find(
    ({ rules, where }) => rules.includes(String(code)) && where.test(path.join(' ')),
  );
  if (exception) used.add(`${code} ${exception.where}`);
  else lines.add(`${range.start.line + 1}: ${path.join(' ')}: ${message} (${code})`);
}
for (const { rules, where } of exceptions) {
  const needless = rules.filter((rule) => !used.has(`${rule} ${where}`));
  for (const rule of needless) lines.add(`the exception of ${rule} at ${where} is needed no more`);
}
for (const line of lines) console.error(line);
console.log(`openapi.yaml: ${lines.size} findings of OWASP's rules, ${findings.length} with exceptions`);
if (lines.size > 0) process.exitCode = 1;
