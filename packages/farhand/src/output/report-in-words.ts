import { trimEndChars } from '@farhand/kit/trim-end-chars'
import { FileContent } from '@farhand/protocol/methods/files'
import { Artifact } from '@farhand/protocol/methods/reports'
import { SandboxOutput } from '@farhand/protocol/methods/shell'

const mostLines = 20

type Params = Record<string, unknown>

/** The last lines of a text, and how many are left out. */
export function lastLines(text: string): string {
  const lines = trimEndChars(text, '\n').split('\n')
  if (lines.length <= mostLines) return lines.join('\n')
  return [`… ${lines.length - mostLines} more lines`, ...lines.slice(-mostLines)].join('\n')
}

/** An artifact that a program stored in the run. */
export function artifactInWords(params: Params): string[] {
  const said = Artifact.safeParse(params).data
  if (!said) return []
  const { kind, name, content, hash } = said
  const title = `Artifact: ${name ?? kind}`
  if (hash !== undefined || content === undefined) return [hash === undefined ? title : `${title} (${hash})`]
  return [title, lastLines(typeof content === 'string' ? content : JSON.stringify(content, null, 2))]
}

/** The content of a file that a user asked for. */
export function fileContentInWords(params: Params): string[] {
  const said = FileContent.safeParse(params).data
  if (!said) return []
  if (said.missing) return [`There is no file ${said.path}.`]
  const title = `Content of ${said.path}`
  return said.content === undefined ? [`${title} (${said.hash})`] : [title, lastLines(said.content)]
}

/** Output of the sandbox that belongs to no command of a user's. */
export function sandboxOutputInWords(params: Params): string[] {
  const said = SandboxOutput.safeParse(params).data
  if (!said) return []
  const printed = [said.stdout, said.stderr].filter((text) => text !== undefined && text.trim() !== '')
  const lines = printed.map((text) => lastLines(text!))
  const { exitCode } = said
  return exitCode === undefined || exitCode === 0 || exitCode === null
    ? lines
    : [...lines, `It ended with exit code ${exitCode}.`]
}
