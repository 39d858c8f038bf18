import { existsSync } from 'node:fs'
import { z } from 'zod'
import { runCommand } from '../../run-command.ts'
import { textContent } from '../../text-content.ts'
import { type Outcome, type Place, tool } from './tool.ts'

const mostKept = 30_000
const showEveryMs = 250
const defaultSeconds = 120

const input = z.object({
  command: z.string().min(1),
  timeoutSeconds: z.number().int().min(1).max(3_600).optional().describe(`${defaultSeconds} if left out`),
})

/** The tool that runs commands in the workspace. */
export const shellTool = tool({
  name: 'shell',
  description:
    'Runs a command line with bash in the workspace and gives its output. There is no terminal and no input; ' +
    'what it leaves running in the background is ended with it.',
  input,
  kind: 'execute',
  need: 'shell',
  title: ({ command }) => command,
  paths: () => [],
  prepare: async (call, place) => ({
    content: [],
    run: (show) => run(call, place, (text) => show([textContent(text)])),
  }),
})

async function run(
  { command, timeoutSeconds = defaultSeconds }: z.infer<typeof input>,
  place: Place,
  show: (text: string) => void,
): Promise<Outcome> {
  const output = new KeptOutput(mostKept)
  let isNews = false
  // Each update repeats all output: one per line would flood the host.
  const tell = setInterval(() => {
    if (isNews) show(output.text)
    isNews = false
  }, showEveryMs)
  const tooLong = AbortSignal.timeout(timeoutSeconds * 1000)
  try {
    const { code, signal } = await runCommand(command, {
      shell: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
      cwd: place.cwd,
      env: place.env,
      signal: AbortSignal.any([place.signal, tooLong]),
      heard: (text) => {
        output.add(text)
        isNews = true
      },
    })
    const how = tooLong.aborted
      ? `ended after ${timeoutSeconds} s, which was its limit`
      : signal === null
        ? `exit code ${code}`
        : `ended by ${signal}`
    const text = output.text.trimEnd()
    const isFine = code === 0 && !tooLong.aborted
    const whole = isFine && text !== '' ? text : `${text}\n(${how})`.trim()
    return { text: whole, failed: !isFine, content: [textContent(whole)] }
  } finally {
    clearInterval(tell)
  }
}

/** Keeps the beginning and the end of long output: errors are in one of them. */
export class KeptOutput {
  readonly #most: number
  #head = ''
  #tail = ''
  #length = 0

  constructor(most: number) {
    this.#most = most
  }

  add(text: string): void {
    this.#length += text.length
    const room = this.#most / 2 - this.#head.length
    this.#head += text.slice(0, Math.max(room, 0))
    const rest = text.slice(Math.max(room, 0))
    this.#tail = (this.#tail + rest).slice(-this.#most / 2)
  }

  get text(): string {
    const left = this.#length - this.#head.length - this.#tail.length
    return left > 0
      ? `${this.#head}\n… ${left} characters left out …\n${this.#tail}`
      : this.#head + this.#tail
  }
}
