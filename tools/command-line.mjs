import process from 'node:process'

/**
 * What `read` makes of the arguments; prints the help when it is asked for, and with what is wrong when `read` throws.
 * @template {{ help: boolean }} Read
 * @param {string} help
 * @param {(args: string[]) => Read} read
 */
export function commandLine(help, read) {
  try {
    const given = read(process.argv.slice(2))
    if (!given.help) return given
  } catch (error) {
    // Node adds a hint on how to give the flag as a path, which does not help here.
    const [what = ''] = String(error instanceof Error ? error.message : error).split('. To specify')
    process.stderr.write(`${what}\n\n${help}`)
    process.exit(2)
  }
  process.stdout.write(help)
  process.exit(0)
}
