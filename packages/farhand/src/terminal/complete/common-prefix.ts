/** What all of these begin with, in the letters of the first one, whatever their case. */
export function commonPrefix(names: readonly string[]): string {
  const [first = '', ...others] = names
  let length = first.length
  for (const other of others) {
    let same = 0
    while (same < length && first[same]?.toLowerCase() === other[same]?.toLowerCase()) same += 1
    length = same
  }
  return first.slice(0, length)
}
