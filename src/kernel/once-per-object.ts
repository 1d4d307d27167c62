/**
 * A function of objects that never change, worked out once for each of them: for what costs much and
 * is asked in several places. It remembers an object no longer than anybody else does.
 */
export function oncePerObject<Key extends object, Value>(
  work: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = work(key);
      known.set(key, value);
    }
    return value;
  };
}
