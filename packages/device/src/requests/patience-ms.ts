/** How long a command tries again when no hub answers. */
export const patienceMs = 3000
