const units = ['KiB', 'MiB', 'GiB']

export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  let size = bytes / 1024
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit += 1) size /= 1024
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${units[unit]}`
}
