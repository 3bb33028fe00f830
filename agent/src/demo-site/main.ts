import { createDemoSite } from './demo-site.ts';

const port = Number(process.env['PODWRIGHT_DEMO_SITE_PORT'] ?? '8080');
const { server } = createDemoSite({ now: () => new Date() });
server.listen(port, () => console.log(JSON.stringify({ level: 'info', msg: 'demo shop listens', port })));
process.on('SIGTERM', () => {
  server.close();
  server.closeIdleConnections();
});
