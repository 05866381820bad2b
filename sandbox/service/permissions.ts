import type { Project, Session, User } from './data.ts';
import { PracticeError } from './practice-error.ts';

/** Returns whether the user can read this project or session and what is in it. */
export function mayRead(email: string, thing: Project | Session): boolean {
  return (thing.members.get(email) ?? 'none') !== 'none';
}

/** Throws PracticeError (`denied`) unless the user can change this project or session. */
export function requireWrite(by: User, thing: Project | Session): void {
  if (thing.members.get(by.email) !== 'write') {
    throw new PracticeError('denied', `${by.email} is not allowed to change "${thing.name}".`);
  }
}
