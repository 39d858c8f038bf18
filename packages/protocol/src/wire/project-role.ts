import { z } from 'zod'

/** What a user is in a project (W110). */
export const ProjectRole = z.enum(['owner', 'member', 'viewer'])
export type ProjectRole = z.infer<typeof ProjectRole>

/** What a request needs: to see a project, to work in it, or to administer it (W110). */
export type Right = 'view' | 'work' | 'own'
