import { writeFile } from 'node:fs/promises';
import { hashChart, readValues, renderWithHelm, renderedFile } from './helm/chart.ts';

/*
 * Lints the chart with the helm that is in the PATH, and writes what it renders to test/ops/helm/, where the tests look
 * at it: for whoever changes the chart.
 */

for (const [name, values] of Object.entries(readValues())) {
  const rendered = await renderWithHelm('helm', values);
  await writeFile(renderedFile(name), `# Of the chart and the values ${hashChart(values)}\n${rendered}`);
  console.log(`${renderedFile(name)} is written`);
}
