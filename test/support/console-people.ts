import { newProject, type TestProject } from './project.ts';
import { enableTemplates, must } from './sequences.ts';

/** A project with 62 people: Ada is subscribed and got a mail, Grace is pending, all others are called Linus. */
export async function newPeople(): Promise<{ readonly project: TestProject; readonly ada: string }> {
  const project = await newProject();
  await enableTemplates(project, 'receipt');
  const people = [
    { email: project.address('ada'), firstName: 'Ada', lastName: 'Lovelace', tags: ['vip'], attributes: { plan: 'pro', seats: 3 } },
    { email: project.address('grace'), firstName: 'Grace', status: 'pending', attributes: { plan: 'free' } },
    ...Array.from({ length: 60 }, (_, index) => ({ email: project.address(`linus${index}`), firstName: 'Linus' })),
  ];
  const ada = must(await project.api.post('/contacts', people), 200).contacts[0].id;
  must(await project.api.post('/send', { template: 'receipt', contactId: ada, data: { name: 'Ada' } }), 200);
  must(await project.api.post('/events', { type: 'signed_up', contactId: ada, data: { plan: 'pro' } }), 200);
  return { project, ada };
}
