import { parseAst } from 'vitest/node'

/** @typedef {{ start: number; end: number; to: string; line: number; from: string; within: string }} Lie */
/** @typedef {Lie & { name: string }} Mutant `name` is what no other lie of the same source is called. */

const swapped = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['+', '-'],
  ['-', '+'],
  ['&&', '||'],
  ['||', '&&'],
  ['??', '&&'],
  ['+=', '-='],
  ['-=', '+='],
  ['??=', '='],
])

const named = new Set(['MethodDefinition', 'PropertyDefinition', 'FunctionDeclaration', 'VariableDeclarator'])

/**
 * Every small lie that can be told in this source: conditions turned round or fixed, operators swapped, statements
 * left out, numbers off by one.
 * @param {string} source
 * @returns {Mutant[]}
 */
export function mutantsOf(source) {
  /** @type {Lie[]} */
  const mutants = []
  let within = ''
  /** @param {any} node @param {string} to */
  const lie = (node, to) => {
    const from = source.slice(node.start, node.end)
    const line = source.slice(0, node.start).split('\n').length
    if (from !== to) mutants.push({ start: node.start, end: node.end, to, line, from, within })
  }
  /** @param {any} node */
  const text = (node) => source.slice(node.start, node.end)
  /** @param {any} node */
  const visit = (node) => {
    if (!node || typeof node.type !== 'string' || node.type.startsWith('TS')) {
      if (node?.type === 'TSNonNullExpression' || node?.type === 'TSAsExpression') visit(node.expression)
      return
    }
    const outside = within
    if (within === '' && named.has(node.type)) within = text(node.key ?? node.id)
    for (const test of [node.test].filter(Boolean)) {
      lie(test, 'true')
      lie(test, 'false')
    }
    switch (node.type) {
      case 'ImportDeclaration':
        return
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression': {
        const to = swapped.get(node.operator)
        if (to) lie(node, `(${text(node.left)} ${to} ${text(node.right)})`)
        if (node.type === 'LogicalExpression') {
          lie(node, text(node.left))
          lie(node, text(node.right))
        }
        break
      }
      case 'UnaryExpression':
        if (node.operator === '!') lie(node, text(node.argument))
        break
      case 'Literal':
        if (typeof node.value === 'boolean') lie(node, String(!node.value))
        if (typeof node.value === 'number') lie(node, String(node.value + 1))
        break
      case 'ExpressionStatement':
        lie(node, ';')
        break
      case 'ReturnStatement':
        if (node.argument === null) lie(node, ';')
        break
    }
    for (const [name, child] of Object.entries(node)) {
      if (name === 'typeAnnotation' || name === 'typeArguments') continue
      for (const one of Array.isArray(child) ? child : [child]) if (one && typeof one === 'object') visit(one)
    }
    within = outside
  }
  for (const statement of parseAst(source, { lang: 'ts' }, 'source.ts').body) visit(statement)
  const seen = new Set()
  const different = mutants.filter(({ start, end, to }) => {
    const key = `${start} ${end} ${to}`
    return !seen.has(key) && seen.add(key)
  })
  return withNames(different, source)
}

/** @param {Lie[]} lies @param {string} source @returns {Mutant[]} */
function withNames(lies, source) {
  const short = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').slice(0, 90)
  const lines = source.split('\n')
  const all = lies.map((lie) => {
    // A number says little without its line.
    const where = lie.from.length > 6 ? '' : ` in ${short(lines[lie.line - 1]?.trim() ?? '')}`
    return { ...lie, name: `${short(lie.from)} -> ${short(lie.to)}${where}` }
  })
  // Else the explanation of one lie would excuse another that is told elsewhere in the same words.
  for (const same of together(all)) for (const lie of same) lie.name += ` of ${lie.within}`
  for (const same of together(all)) for (const [n, lie] of same.entries()) lie.name += `, number ${n + 1}`
  return all
}

/** @param {Mutant[]} lies @returns {Mutant[][]} */
function together(lies) {
  /** @type {Map<string, Mutant[]>} */
  const groups = new Map()
  for (const lie of lies) groups.set(lie.name, [...(groups.get(lie.name) ?? []), lie])
  return [...groups.values()].filter((same) => same.length > 1)
}
