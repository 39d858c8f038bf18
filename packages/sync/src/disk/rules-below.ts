const special = /[\\*?[\]!# ]/g

/**
 * The lines of an ignore file that lies in `folder`, as rules for the top of the workspace: so that the rules of all
 * folders can stand in one list, where the last one that matches counts.
 */
export function rulesBelow(folder: string, text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  if (folder === '') return lines
  const start = `/${folder.replace(special, '\\$&')}/`
  return lines.flatMap((line) => {
    const rule = line.replace(/\r$/, '')
    if (rule === '' || rule.startsWith('#')) return []
    const not = rule.startsWith('!') ? '!' : ''
    const body = rule.slice(not.length)
    if (body.trim() === '' || body === '/') return []
    return [not + start + (isAnchored(body) ? body.replace(/^\//, '') : `**/${body}`)]
  })
}

/** A slash anywhere but at the end ties a rule to its own folder. */
function isAnchored(body: string): boolean {
  const slash = body.replace(/(?<!\\) +$/, '').indexOf('/')
  return slash !== -1 && slash < body.replace(/(?<!\\) +$/, '').length - 1
}
