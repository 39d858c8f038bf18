import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Markdown } from './markdown.tsx'
import { safeLink } from './safe-link.ts'

const shown = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }))
const elementsOf = (html: string) => [
  ...new Set([...html.matchAll(/<([a-z0-9]+)/gi)].map(([, name]) => name)),
]

describe('markdown', () => {
  it('shows the words after a fence, unless they are only a language', () => {
    expect(shown('```sh\nls\n```')).not.toContain('sh\nls')
    expect(shown('~~~; rm -rf src\nls\n~~~')).toContain('; rm -rf src\nls')
  })

  it('shows headings, lists, tasks, tables, quotes and code', () => {
    const html = shown(
      '# A\n\n- [x] done\n- [ ] open\n\n3. three\n\n| a | b |\n|--|:-:|\n| 1 | **2** |\n\n> q\n\n```ts\nlet a\n```\n\n~~no~~ `x`',
    )
    for (const part of [
      '<h3',
      'checked=""',
      '<ol start="3" dir="auto">',
      '<td',
      '<strong>2</strong>',
      '<blockquote dir="auto">',
      'let a',
      '<del>',
    ])
      expect(html).toContain(part)
  })

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <svg onload=alert(1)> b',
    '<iframe srcdoc="<script>alert(1)</script>">',
    '- <b onclick=alert(1)>x</b>',
    '| <img src=x> |\n|---|\n| <style>*{display:none}</style> |',
    '```"><script>alert(1)</script>\n<script>\n```',
    '`<script>`',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
  ])('%s is text', (text) => {
    expect(elementsOf(shown(text)).filter((name) => /^(script|img|iframe|style|b)$/.test(name!))).toEqual([])
    expect(shown(text)).not.toMatch(/<[^>]+\son\w+=/)
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\nscript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](&#106;avascript:alert(1))',
    '[x]: javascript:alert(1)\n\n[x]',
    '<javascript:alert(1)>',
    '![x](javascript:alert(1))',
  ])('%s leads nowhere', (text) => expect(shown(text)).not.toContain('href'))

  it('a link to a page sends no referrer', () => {
    expect(shown('[x](https://example.org/a)')).toContain('rel="noopener noreferrer nofollow"')
  })

  it('a picture from elsewhere is a link, and nothing is fetched', () => {
    const html = shown('![cat](https://example.org/cat.png)')
    expect(html).not.toContain('<img')
    expect(html).toContain('href="https://example.org/cat.png"')
    expect(html).toContain('cat')
  })

  it('letters written as references are letters', () => {
    expect(shown('a &amp; b &#x2192; c')).toContain('a &amp; b → c')
  })

  it.each([
    'save \u202egnp.exe',
    'save &#x202e;gnp.exe',
    'save &#8238;gnp.exe',
    '# &#x2067;gnp.exe',
    '[&#x202E;gnp.exe](https://a.example)',
    '[a](x:&#x202E;gnp.exe)',
    '![&#x202E;gnp.exe](x:b)',
    '| a |\n|---|\n| &#x202E;gnp.exe |',
    '- **&#x202E;gnp.exe**',
  ])('%j turns no letters around, and shows that it would', (text) => {
    expect(shown(text)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    expect(shown(text)).toContain('\ufffdgnp.exe')
  })
})

describe('a safe link', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['src/a.ts', null],
    ['/runs/x', null],
    ['//evil.example', null],
    ['https://bank.example@evil.example/', null],
    [' javascript:alert(1)', null],
    ['blob:https://a.example/1', null],
  ])('%s', (href, expected) => expect(safeLink(href)).toBe(expected))
})
