/**
 * Writes everything that is committed and yet written by a program: from openapi.yaml, contracts/, a package and the
 * migrations.
 */
for (const [what, script] of [
  ['types and client of openapi.yaml', 'generate-api'],
  ['the collection for Bruno, of openapi.yaml', 'generate-bruno'],
  ['contracts, which are compiled first', 'generate-contracts'],
  ['the script of /docs', 'generate-scalar'],
  ['src/db/schema.sql and the types of its tables', 'generate-schema'],
  ['the tables of states in docs/engine.md', 'generate-states'],
]) {
  console.log(`> ${what}`);
  await import(`./${script}.ts`);
}
