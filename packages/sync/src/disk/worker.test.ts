import { describe, expect, it } from 'vitest'
import { workerSource } from './worker-source.ts'

describe("the program of the disk's own thread", () => {
  it('is small: it is compiled at every start, and a schema library would be most of it', async () => {
    expect((await workerSource()).length).toBeLessThan(120_000)
  })
})
