import { describe, expect, it } from 'vitest'
import { drawingOf } from './drawing.ts'
import type { Source } from './source.ts'

const file = (path: string, ...from: string[]): Source => ({
  path: `packages/${path}`,
  text: from.map((one) => `import { a } from '${one}'\n`).join(''),
})

const sources = [
  file('hub/src/hub.ts', './log/log.ts', '@farhand/kit/clock'),
  file('hub/src/log/log.ts', '@farhand/protocol/words'),
  file('hub/src/log/log.test.ts', '../hub.ts'),
  file('protocol/src/words.ts', '@farhand/kit/clock'),
  file('kit/src/clock.ts'),
]

const drawing = drawingOf(sources, { hub: 'the server <&>' })
/** How far down each text stands. */
const placeOf = (text: string) => Number(new RegExp(`y="(\\d+)">${text}<`).exec(drawing)?.[1])

describe('the drawing of the house', () => {
  it('has each package above those that it imports, and each folder above those that it imports', () => {
    expect([placeOf('hub'), placeOf('src'), placeOf('log'), placeOf('protocol'), placeOf('kit')]).toEqual(
      [placeOf('hub'), placeOf('src'), placeOf('log'), placeOf('protocol'), placeOf('kit')].sort(
        (a, b) => a - b,
      ),
    )
    expect(placeOf('log')).toBeGreaterThan(placeOf('src'))
  })

  it('has an arrow for each import that no other one implies', () => {
    // hub -> protocol -> kit: the arrow from hub to kit would say nothing new.
    expect(drawing.match(/class="arrow"/g)).toHaveLength(2)
  })

  it('says what a package is for, letter by letter', () => {
    expect(drawing).toContain('the server &lt;&amp;>')
  })

  it('draws folders that import each other in a circle, too', () => {
    const circle = [file('kit/src/a/a.ts', '../b/b.ts'), file('kit/src/b/b.ts', '../a/a.ts')]
    expect(drawingOf(circle, {})).toMatch(/>a<[\s\S]*>b<|>b<[\s\S]*>a</)
  })
})
