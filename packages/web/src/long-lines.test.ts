import { longLines } from '@farhand/testkit/long-lines'
import { describe, it } from 'vitest'
import { completionAt } from './composer/typed-text.ts'
import { fencedParts } from './markdown/fenced-parts.ts'
import { plainOutput } from './output/plain-output.ts'

const functions: Record<string, (line: string) => unknown> = {
  'the output of a program': (line) => plainOutput(line),
  'code in a message': (line) => fencedParts(`${line}\n\`\`\`\n${line}`),
  'what is being typed': (line) => completionAt(`${line} `, line.length + 1),
}

describe('a line of a megabyte does not freeze the page', () => {
  it.each(Object.entries(functions))('%s', { timeout: 120_000 }, (_, read) => {
    for (const line of longLines()) read(line)
  })
})
