import { Trouble } from '@farhand/device/trouble/trouble'

const units: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 }

/** Reads a size as users write it: `200M`, `1.5 GiB`, `52428800`. A K is 1,024 bytes, as file systems count. */
export function sizeNamed(text: string, flag = '--max-file'): number {
  const said = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(text)
  const bytes = said ? Math.floor(Number(said[1]) * units[said[2]!.toLowerCase()]!) : 0
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
  throw new Trouble(
    'usage',
    `${flag} is ${JSON.stringify(text)}, which is not a size.`,
    'It takes bytes, or something like 200M or 1.5G.',
  )
}

const names = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** A number of bytes as people read it. */
export function sizeInWords(bytes: number): string {
  const unit = unitOf(bytes)
  if (unit === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return `${rounded(bytes, unit, bytes)} ${names[unit]}`
}

/** How many of so many bytes, both in the same unit: `41 of 95 MiB`. */
export function shareInWords(bytes: number, of: number): string {
  return `${rounded(bytes, unitOf(of), of)} of ${sizeInWords(of)}`
}

function unitOf(bytes: number): number {
  let unit = 0
  for (let size = bytes; size >= 1024 && unit < names.length - 1; unit += 1) size /= 1024
  return unit
}

/** Rounded like the whole size, so that both have the same number of digits. */
function rounded(bytes: number, unit: number, of: number): number {
  const [size, whole] = [bytes / 1024 ** unit, of / 1024 ** unit]
  return unit > 0 && whole < 10 ? Math.round(size * 10) / 10 : Math.round(size)
}

/** The next power of two in MiB, written as a flag takes it, that a file of this size fits in. */
export function sizeAbove(bytes: number): string {
  const mebibytes = 2 ** Math.max(0, Math.ceil(Math.log2(bytes / 1024 ** 2)))
  return `${mebibytes}M`
}
