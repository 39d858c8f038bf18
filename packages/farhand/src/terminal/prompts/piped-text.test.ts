import { describe, expect, it } from 'vitest'
import { runHere, testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { saidOrPiped } from './piped-text.ts'

const piping = (...pieces: (string | Uint8Array)[]) =>
  testContext({
    input: async function* () {
      for (const piece of pieces) yield Buffer.from(piece as string)
    },
  })

describe('what is said on standard input', () => {
  it('stands for -, whole and without the end of its last line; all else is what it says', async () => {
    const euro = Buffer.from('€')
    const context = piping('fix it,\n', euro.subarray(0, 1), euro.subarray(1), '\n')
    expect(await saidOrPiped('-', context)).toBe('fix it,\n€')
    expect(await saidOrPiped('- fix it', context)).toBe('- fix it')
  })

  it('is refused when it is more than a message holds, and not read to its end', async () => {
    let read = 0
    const input = async function* () {
      for (;;) {
        read += 1
        yield Buffer.alloc(100_000, 'x')
      }
    }
    const trouble = { exit: 'usage', message: expect.stringMatching(/too much.*1 MiB/) }
    await expect(saidOrPiped('-', testContext({ input }))).rejects.toMatchObject(trouble)
    expect(read).toBeLessThan(15)
    // As JSON it is six times as long.
    await expect(saidOrPiped('-', piping('\u0001'.repeat(300_000)))).rejects.toMatchObject(trouble)
  })

  it('is refused when it is no text, and where it would have to be typed', async () => {
    await expect(saidOrPiped('-', piping(new Uint8Array([0xff, 0xfe, 0])))).rejects.toThrow('no text')
    await expect(saidOrPiped('-', testContext({ input: null }))).rejects.toMatchObject({ exit: 'usage' })
  })

  it('is nothing once the command is asked to end', async () => {
    const stop = new AbortController()
    const input = async function* () {
      yield Buffer.from('half')
      stop.abort()
      throw new Error('aborted')
    }
    expect(await saidOrPiped('-', testContext({ input, stop: stop.signal }))).toBeNull()
  })
})

it('farhand run takes what is piped in for its prompt, unless that is nothing', async () => {
  const [cwd, state] = [await temporaryFolder(), await temporaryFolder()]
  const run = (...pieces: string[]) =>
    runHere(['run', '--state', state, '--hub', 'http://127.0.0.1:9'], { ...piping(...pieces), cwd })
  await expect(run('do it')).rejects.toThrow('Which agent?')
  await expect(run()).rejects.toThrow('What should the agent do?')
  await expect(runHere(['run', '-'], piping('\n'))).rejects.toThrow('The message is empty')
})
