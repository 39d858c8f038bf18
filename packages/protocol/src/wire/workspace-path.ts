import { z } from 'zod'
import { pathProblem } from './path-problem.ts'

/** Where a file is inside its workspace. It cannot leave the workspace, nor reach into a `.git` (S10). */
export const WorkspacePath = z
  .string()
  .check((path) => {
    const message = pathProblem(path.value)
    if (message) path.issues.push({ code: 'custom', input: path.value, message })
  })
  .brand<'WorkspacePath'>()
export type WorkspacePath = z.infer<typeof WorkspacePath>
