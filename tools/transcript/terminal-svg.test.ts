import { expect, it } from 'vitest'
import { styledLines } from './styled-lines.ts'
import { terminalSvg } from './terminal-svg.ts'

it('styles last until they are taken back, over the end of a line too', () => {
  const [first, second] = styledLines('a \x1b[1;32mgreen\nstill\x1b[0m plain')
  expect(first!.map(({ text, bold, color }) => [text, bold, color])).toEqual([
    ['a ', false, null],
    ['green', true, '#98c379'],
  ])
  expect(second!.map(({ text, bold, color }) => [text, bold, color])).toEqual([
    ['still', true, '#98c379'],
    [' plain', false, null],
  ])
})

it('colours are read from the palette and as they are', () => {
  const [line] = styledLines('\x1b[38;5;196mred\x1b[38;5;240mgrey\x1b[38;2;1;2;3mown\x1b[39mnone')
  expect(line!.map(({ color }) => color)).toEqual(['#ff0000', '#585858', '#010203', null])
})

it('what could be taken for a tag is text in the picture, and each run stands in its column', () => {
  const svg = terminalSvg(styledLines('\x1b[1m<b>\x1b[0m & "x"'), { columns: 20, title: 'a & b' })
  expect(svg).toContain('&lt;b&gt;')
  expect(svg).toContain('&amp;\u00a0&quot;x&quot;')
  expect(svg).toContain('<title>a &amp; b</title>')
  expect(svg).toMatch(/<tspan x="18\.0"[^>]* font-weight="bold">&lt;b&gt;/)
  expect(svg).toMatch(/<tspan x="43\.2"/)
})
