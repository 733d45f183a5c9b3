/**
 * One figure as the Prometheus door of a process shows it: the sum over its labels, NaN when its source did not answer, 0 when
 * it was never counted.
 */
export async function gaugeAt(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  if (!text.includes(`# TYPE ${name} `)) throw new Error(`the metrics on port ${port} have no ${name}`);
  const samples = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
