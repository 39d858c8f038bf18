import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { commandFor } from '../run-command.ts'
import {
  anchorsOf,
  anything,
  linksOf,
  mentionedCallsOf,
  scriptsOf,
  typedCallsOf,
} from './pages-under-test.ts'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const textOf = (page: string) => readFileSync(path.join(root, page), 'utf8')
const pagesIn = (folder: string) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name))

const pages = [
  ...pagesIn('.'),
  ...pagesIn('docs'),
  ...pagesIn('docs/guide'),
  ...pagesIn('docs/reference'),
  'packages/farhand/README.md',
  'packages/client/README.md',
]

it('the front page is one that is read: under 200 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(200)
})

describe.each(pages)('%s', (page) => {
  const text = textOf(page)

  it('leads only to files that are there, and to headings that they have', () => {
    expect(linksOf(text).filter((link) => !leadsSomewhere(page, link))).toEqual([])
  })

  it('has readers type only what the command understands', async () => {
    expect(await complaintsAbout(typedCallsOf(text), [])).toEqual([])
  })

  it('mentions only commands and options that there are', async () => {
    expect(await complaintsAbout(mentionedCallsOf(text), leftOpen)).toEqual([])
  })

  it('names only scripts that `npm run` has', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    expect(scriptsOf(text).filter((name) => !(name in scripts))).toEqual([])
  })
})

it('what is wrong on a page is found', async () => {
  expect(leadsSomewhere('README.md', 'docs/guide/no-such-page.md')).toBe(false)
  expect(leadsSomewhere('README.md', 'docs/guide/first-run.md#no-such-heading')).toBe(false)
  expect(leadsSomewhere('docs/guide/first-run.md', '#install-the-command')).toBe(true)
  const block = (line: string) => complaintsAbout(typedCallsOf(`\`\`\`console\n${line}\n\`\`\`\n`), [])
  expect(await block('npx farhand atach run_1')).toHaveLength(1)
  expect(await block('echo "hi" | farhand run --polcy ask -   # a comment')).toHaveLength(1)
  expect(await block('farhand run --policy sometimes "Fix it"')).toHaveLength(1)
  expect(await block('source <(farhand completions bash)')).toHaveLength(1)
  expect(await block('farhand restore')).toHaveLength(1)
  expect(await block('KEY=1 farhand run --policy ask "a; b" && farhand ls | less')).toEqual([])
  const sentence = (text: string) => complaintsAbout(mentionedCallsOf(text), leftOpen)
  expect(await sentence('say `farhand restore <path>@<event>`, or `farhand <command> --help`')).toEqual([])
  expect(await sentence('say `farhand restore --hard <path>`')).toHaveLength(1)
})

it('links, headings, calls and scripts are found where they stand', () => {
  const page =
    '# A `b`: c\n[x](y.md#z "t") ![p](q.png)\n`[n](m)` [s](https://s)\n## A b c\n<img src="i.png">\n'
  expect(linksOf(page)).toEqual(['y.md#z', 'q.png', 'i.png'])
  expect(anchorsOf(page)).toEqual(['a-b-c', 'a-b-c-1'])
  expect(typedCallsOf('```console\nA=1 npx farhand send r "x | y" > f # z\n```\n')).toEqual([
    ['send', 'r', 'x | y'],
  ])
  expect(scriptsOf('`npm run test:agents -- codex`, npm run bench.')).toEqual(['test:agents', 'bench'])
})

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), decodeURI(file))
  if (!existsSync(path.join(root, target))) return false
  return anchor === undefined || (target.endsWith('.md') && anchorsOf(textOf(target)).includes(anchor))
}

/** What a sentence may leave open, and a line to be typed may not. */
const leftOpen = [
  'commander.help',
  'commander.missingArgument',
  'commander.optionMissingArgument',
  'commander.invalidArgument',
]

/** The calls that the command does not understand, each with what it says about it. Nothing is done by any of them. */
async function complaintsAbout(calls: string[][], forgiven: readonly string[]): Promise<string[]> {
  const complaints: string[] = []
  for (const words of calls) {
    if (words[0] === anything || words.join(' ') === 'help all') continue
    const farhand = commandFor(testContext())
    disarm(farhand)
    await farhand.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
      const isFine =
        error instanceof CommanderError && (error.exitCode === 0 || forgiven.includes(error.code))
      if (!isFine) complaints.push(`farhand ${words.join(' ')}: ${(error as Error).message}`)
    })
  }
  return complaints
}

function disarm(command: Command): void {
  for (const one of command.commands) {
    one.action(() => {})
    disarm(one)
  }
}
