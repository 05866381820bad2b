/** A folder (it has `holds`) or a file; the id is generated if missing. */
export type Permission = 'none' | 'read' | 'write';

export type SeedItem = { name: string; id?: string | undefined; holds?: readonly SeedItem[] | undefined };

export type Seed = {
  primes: readonly { id: number; name: string }[];
  users: readonly { email: string; name: string; primeId: number }[];
  projects: readonly {
    /** 9 digits, with or without hyphens. */
    id: string;
    primeId: number;
    name: string;
    members: Readonly<Record<string, Permission>>;
    /** The contents of the root folder. */
    holds: readonly SeedItem[];
  }[];
  sessions: readonly {
    id: string;
    primeId: number;
    name: string;
    members: Readonly<Record<string, Permission>>;
    /** Days from the start of the service until the session expires. */
    days: number;
    documents: readonly { name: string; id?: string | undefined }[];
  }[];
};

/** An architecture office with a tower, a school and a bridge; the default data of the service. */
export const harbourTower: Seed = {
  primes: [
    { id: 4021, name: 'Northgate Architects' },
    { id: 5177, name: 'Quayside Engineers' },
  ],
  users: [
    { email: 'dana@example.com', name: 'Dana Reyes', primeId: 4021 },
    { email: 'sam@example.com', name: 'Sam Okafor', primeId: 4021 },
    { email: 'lee@example.com', name: 'Lee Park', primeId: 4021 },
    { email: 'noor@example.com', name: 'Noor Haddad', primeId: 5177 },
  ],
  projects: [
    {
      id: '412-873-550',
      primeId: 4021,
      name: 'Harbour Tower',
      members: { 'dana@example.com': 'write', 'sam@example.com': 'write', 'lee@example.com': 'read' },
      holds: [
        {
          name: 'Plans',
          holds: [
            {
              name: 'Level 1',
              holds: [{ name: 'A-101 Floor plan.pdf' }, { name: 'A-102 Ceiling plan.pdf' }],
            },
            {
              name: 'Level 2',
              holds: [{ name: 'A-201 Floor plan.pdf' }, { name: 'A-202 Ceiling plan.pdf' }],
            },
            { name: 'Level 3', holds: [] },
          ],
        },
        { name: 'Details', holds: [{ name: 'D-01 Stair.pdf' }, { name: 'D-02 Façade anchor.pdf' }] },
        { name: 'Specifications', holds: [{ name: 'Concrete.docx' }, { name: 'Glazing.docx' }] },
        { name: 'Site photos', holds: [] },
      ],
    },
    {
      id: '538-204-917',
      primeId: 4021,
      name: 'Riverside School',
      members: { 'dana@example.com': 'write', 'lee@example.com': 'write' },
      holds: [{ name: 'Plans', holds: [{ name: 'R-100 Site plan.pdf' }] }],
    },
    {
      id: '660-118-342',
      primeId: 5177,
      name: 'Quay Bridge',
      members: { 'noor@example.com': 'write', 'dana@example.com': 'read' },
      holds: [{ name: 'Drawings', holds: [{ name: 'B-01 Elevation.pdf' }] }],
    },
  ],
  sessions: [
    {
      id: '731-450-286',
      primeId: 4021,
      name: 'Façade review',
      members: { 'dana@example.com': 'write', 'sam@example.com': 'write', 'lee@example.com': 'read' },
      days: 30,
      documents: [{ name: 'Curtain wall.pdf' }, { name: 'Façade details.pdf' }],
    },
    {
      id: '845-902-113',
      primeId: 4021,
      name: 'Level 1 coordination',
      members: { 'sam@example.com': 'write' },
      days: 14,
      documents: [{ name: 'Ductwork.pdf' }],
    },
  ],
};
