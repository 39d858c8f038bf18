import type { WebStage } from '@farhand/e2e/web/web-stage'
import type { RunAddress } from '@farhand/protocol/routes'

const before = `/** Fields of a line of CSV. */
export function fields(line: string): string[] {
  return line.split(',')
}
`

const after = `/** Fields of a line of CSV; one in quotation marks may have commas in it. */
export function fields(line: string): string[] {
  const found = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []
  return found.map((field) => unquoted(field.replace(/,$/, '')))
}

const unquoted = (field: string) =>
  field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field
`

const words = `**The commas were inside of quotation marks**, and \`fields\` cut the line at each of them.

| input | before | now |
|---|---|---|
| \`a,b\` | 2 fields | 2 fields |
| \`"a,b",c\` | 3 fields | 2 fields |

I have changed \`src/fields.ts\` and added a test for it. What is left is to run all of them.`

const written = (path: string, text: string) => `write ${path} with:\n\`\`\`\n${text}\`\`\``
const said = (text: string) => `say ${JSON.stringify(text)}`

/** Runs as somebody might have them after an afternoon; gives back the one that is looked at. */
export async function madeUpRuns(stage: WebStage): Promise<RunAddress> {
  const [words1, failed, working, main] = await Promise.all([
    stage.run('Translate the help page into Portuguese'),
    stage.run('Update the dependencies'),
    stage.run('Find out why the build takes three minutes'),
    stage.run('Commas in quotation marks break the import'),
  ])
  await stage.turn(words1, 'write help.pt.md with 40 lines\nsay It is in `help.pt.md`.')
  await stage.turn(
    failed,
    'run `echo 3 packages are out of date`\nfail with the key for the model is not valid',
  )
  await stage.turn(main, `${written('src/fields.ts', before)}\nuse 3100 tokens costing 0.02 dollars`)
  await stage.turn(
    main,
    [
      'plan: read the parser; find the cause; mend it; run all tests',
      'think for 1 second',
      'read src/fields.ts',
      written('src/fields.ts', after),
      written('test/fields.test.ts', 'expect(fields(\'"a,b",c\')).toEqual(["a,b", "c"])\n'),
      said(words),
      'use 18400 tokens costing 0.11 dollars',
    ].join('\n'),
  )
  await stage.say(working, 'plan: measure each step; look at the slowest\nthink for 10 minutes')
  const asked = await stage.say(main, 'ask permission to run `npm test`')
  const isQuestion = (method: string) => method === '_posthog/agent_question'
  await stage.until(main, asked, ({ notification }) => isQuestion(notification.method))
  return main
}
