import { Trouble } from '@farhand/device/trouble/trouble'

/** The whole number that an option has, from 1 up to a limit; undefined if it is not given. */
export function numberIn(option: string, said: unknown, most: number): number | undefined {
  if (said === undefined) return undefined
  const number = /^\d{1,4}$/.test(String(said)) ? Number(said) : 0
  if (number >= 1 && number <= most) return number
  throw new Trouble(
    'usage',
    `${option} takes a whole number from 1 to ${most}.`,
    `For example ${option} ${Math.min(most, 7)}.`,
  )
}
