import { Reflector } from '@nestjs/core';

type Ask = (key: unknown, targets: object[]) => unknown;

/** A reflector that looks the facts of a route up once: decorators never change, and guards ask for a dozen of them at every request. */
export const rememberingReflector = makeRemembering(new Reflector());

function makeRemembering(reflector: Reflector): Reflector {
  const ask = reflector.getAllAndOverride.bind(reflector) as Ask;
  const known = new WeakMap<object, Map<unknown, unknown>>();
  const remembered: Ask = (key, targets) => {
    const [handler] = targets;
    if (handler === undefined) return ask(key, targets);
    const facts = known.get(handler) ?? new Map<unknown, unknown>();
    known.set(handler, facts);
    if (!facts.has(key)) facts.set(key, ask(key, targets));
    return facts.get(key);
  };
  return Object.assign(reflector, { getAllAndOverride: remembered });
}
