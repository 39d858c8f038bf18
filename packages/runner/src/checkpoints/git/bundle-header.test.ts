import { describe, expect, it } from 'vitest'
import { bundleHeader } from './bundle-header.ts'

const sha = 'a'.repeat(40)
const head = `# v2 git bundle\n-${sha} what it needs\n${sha} refs/heads/main\n${sha} HEAD\n\n`

describe('the head of a bundle', () => {
  it('names what it brings, and where its pack begins', () => {
    expect(bundleHeader(Buffer.from(`${head}PACK\n\n`))).toEqual({
      length: head.length,
      refs: [
        { name: 'refs/heads/main', sha },
        { name: 'HEAD', sha },
      ],
    })
  })

  it('is not known before all of it is there', () => {
    for (let length = 0; length < head.length; length += 1)
      expect(bundleHeader(Buffer.from(head.slice(0, length)))).toBeNull()
  })

  it('is refused if it is that of something else', () => {
    expect(() => bundleHeader(Buffer.from('PACK\n'))).toThrow('not a git bundle')
    expect(() => bundleHeader(Buffer.from('# v2 git bundle\nnonsense\n'))).toThrow('cannot be read')
  })
})
