import { type Route, routes } from '@tollgate/contracts';
import { expect } from 'chai';

const table = Object.entries<Route>(routes).map(([name, route]) => {
  const [method, path = ''] = name.split(' ');
  const isExact = !path.includes(':');
  return { name, route, method, isExact, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`) };
});

/** The route that a request is for; one without a parameter in its path comes first. */
export function routeOf(method: string, path: string): { name: string; route: Route } | undefined {
  const [bare = ''] = path.split('?');
  const fits = table.filter((each) => each.method === method && each.pattern.test(bare));
  return fits.find(({ isExact }) => isExact) ?? fits[0];
}

/** Every good answer that a test sees is as its contract says, to the last field. */
export function expectAsContracted(method: string, path: string, { type, text }: { type: string; text: string }): void {
  const found = routeOf(method, path);
  if (!found || !type.startsWith('application/json')) return;
  const { name, route } = found;
  if (route.raw !== undefined) return;
  const { success, message, undo, ...rest } = JSON.parse(text) as Record<string, unknown>;
  if (success !== true) return;
  expect(message, `${name}: message`).to.be.a('string');
  if (undo !== undefined) expect([route.undoable, typeof undo], `${name}: undo`).to.deep.equal([true, 'string']);
  const got = route.beside ? rest : rest.data;
  const schema = route.beside ?? route.answer;
  expect(got, name).to.deep.equal(schema?.parse(got));
  if (!route.beside)
    expect(Object.keys(rest), name)
      .to.be.an('array')
      .that.is.lengthOf(schema ? 1 : 0);
}
