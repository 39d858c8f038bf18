import { expect, it } from 'vitest'
import { dependencyFiles, isOfDependencies } from './dependency-files.ts'

it('dependency files count at any depth, and so do files that the command names', () => {
  const files = [
    'src/a.ts',
    'package.json',
    'packages/a/package-lock.json',
    'patches/left-pad+1.3.0.patch',
    'scripts/setup.sh',
    'requirements-dev.txt',
  ]
  expect(dependencyFiles('npm ci && sh ./scripts/setup.sh', files)).toEqual([
    'package.json',
    'packages/a/package-lock.json',
    'patches/left-pad+1.3.0.patch',
    'requirements-dev.txt',
    'scripts/setup.sh',
  ])
  expect(dependencyFiles('npm ci', files)).not.toContain('scripts/setup.sh')
})

it('generated files are no dependencies', () => {
  expect(isOfDependencies(['node_modules', 'packages/a/node_modules', '.venv'])).toBe(true)
  expect(isOfDependencies(['node_modules', 'dist'])).toBe(false)
})
