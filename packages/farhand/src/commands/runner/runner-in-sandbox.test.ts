import { describe, expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'

const piped = (text: string) => ({
  input: async function* () {
    yield Buffer.from(text)
  },
})

describe('the runner in a sandbox', () => {
  it('needs a letter, and says nothing of what stands in one that it cannot read', async () => {
    await expect(runHere(['runner', '--letter'])).rejects.toThrow('it is a terminal')
    for (const text of ['', '{"token":"fhr_secret"', '{"token":"fhr_secret"}']) {
      const error = await runHere(['runner', '--letter'], piped(text)).catch((why: Error) => why)
      expect(error).toMatchObject({ message: expect.stringMatching(/no runner config of a hub/) })
      expect(String((error as Error).cause ?? '')).not.toContain('fhr_secret')
    }
  })
})
