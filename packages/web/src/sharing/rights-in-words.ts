/** What a role in a project allows. */
export const rightsInWords = {
  member: 'Members start runs, write to their agents, and answer questions.',
  viewer: 'Viewers read the runs, and change nothing.',
} as const
