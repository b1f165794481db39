/**
 * The functions that executors may call from the start, as the constructor of the Operator takes them: 8 selectors to a
 * word.
 */
export const verbs = [
  '4ea4cea1f53e125840c10f19b925456b53418ae42a87ff74016ea35a6a627842',
  '3f4ba83a8456cb59fbda28dcf89f4e777e743894ddf73becfc944321e9b978c8',
  'd111515deba2514164f101f02edeec0345c8b1a68d1fdf2f21842be382b74b89',
  'c8b201529fc1d0e719bb4723bc701ca58f2fc60bcc10acf04dcf6ad66e14cbab',
] as const;
