import { expect, it } from 'vitest'
import { matches, readExamples, readFiles } from './readme-examples.ts'

it('an example is a shell block with the answer that follows it at once', () => {
  const page = '```sh\none\n```\n\ntext\n\n```sh\ntwo\n```\n```text\n2\n```\n\n```console\nnot run\n```\n'
  expect(readExamples(page)).toEqual([
    { script: 'one\n', answer: null },
    { script: 'two\n', answer: '2\n' },
  ])
})

it('a program is a block that the text before it gives a file name', () => {
  const page = 'Save this as `a.ts` here.\n\n```ts\none()\n```\n\nIt is like this:\n\n```ts\ntwo()\n```\n'
  expect(readFiles(page)).toEqual({ 'a.ts': 'one()\n' })
})

it('an answer must be as printed but for what is left open with an ellipsis', () => {
  expect(matches('{"id":"…","ok":true}\n', '{"id":"run_1","ok":true}\n\n')).toBe(true)
  expect(matches('{"id":"…","ok":true}\n', '{"id":"run_1","ok":false}\n')).toBe(false)
  expect(matches('a\nb\n', 'a\n')).toBe(false)
  expect(matches('a\n', 'a\nb\n')).toBe(false)
  expect(matches('a.c\n', 'abc\n')).toBe(false)
})
