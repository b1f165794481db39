/** Says something beside the result, which stands in the output alone. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);
