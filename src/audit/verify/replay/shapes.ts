/** Undefined when a value has a shape; otherwise a JSON pointer to what has not, and why. */
export type Shape = (value: unknown, pointer: string) => string | undefined;

export function when(is: (value: unknown) => boolean, what: string): Shape {
  return (value, pointer) => (is(value) ? undefined : `${pointer} is not ${what}`);
}

export function textThat(is: (text: string) => boolean, what: string): Shape {
  return when((value) => typeof value === 'string' && is(value), what);
}

export function oneOf(...choices: readonly unknown[]): Shape {
  return when((value) => choices.includes(value), choices.join(', or '));
}

export function orNull(shape: Shape): Shape {
  return (value, pointer) => (value === null ? undefined : shape(value, pointer));
}

export function listOf(shape: Shape, max: number): Shape {
  return (value, pointer) => {
    if (!Array.isArray(value)) return `${pointer} is not a list`;
    if (value.length > max) return `${pointer} has more than ${max} entries`;
    for (let index = 0; index < value.length; index++) {
      if (fits(shape, value[index])) continue;
      return shape(value[index], `${pointer}/${index}`);
    }
    return undefined;
  };
}

/** Exactly these members; those of `optional` may be missing. */
export function members(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const needed = Object.entries(required);
  const shapes = new Map([...needed, ...Object.entries(optional)]);
  return (value, pointer) => {
    if (!isRecord(value)) return `${pointer} is not an object`;
    if (hasExactly(value, needed)) return undefined;
    for (const [name] of needed) {
      if (!Object.hasOwn(value, name)) return `${pointer}/${name} is missing`;
    }
    for (const name of Object.keys(value)) {
      const shape = shapes.get(name);
      // The name may be long, and anything: what is shown of it is bounded.
      if (shape === undefined) return `${pointer}/${name.slice(0, 64)} is not expected`;
      const fault = shape(value[name], `${pointer}/${name}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** Nearly all values are so: pointers are made for those alone that are not. */
function hasExactly(
  value: Readonly<Record<string, unknown>>,
  needed: readonly (readonly [name: string, shape: Shape])[],
): boolean {
  if (Object.keys(value).length !== needed.length) return false;
  for (const [name, shape] of needed) {
    if (!Object.hasOwn(value, name) || !fits(shape, value[name])) return false;
  }
  return true;
}

function fits(shape: Shape, value: unknown): boolean {
  return shape(value, '') === undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
