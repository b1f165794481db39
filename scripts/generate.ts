/**
 * Writes everything that is committed and yet written by a program: from openapi.yaml, contracts/ and the migrations.
 * With a folder as argument it writes all files there instead.
 */
for (const script of ['generate-api', 'generate-contracts', 'dump-schema']) await import(`./${script}.ts`);
