import { expect, it } from 'vitest'
import { helpProse } from './help-prose.ts'

it('fills lines of prose anew, and leaves examples and empty lines where they are', () => {
  const text = '\nOne two three four\nfive six:\n  farhand run "a long example of it"\nSeven.\n\nEight.\n'
  expect(helpProse(text, 12)).toBe(
    '\nOne two\nthree four\nfive six:\n  farhand run "a long example of it"\nSeven.\n\nEight.\n',
  )
})
