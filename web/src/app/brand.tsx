import { styled } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import { Link } from 'react-router';
import { useGetStatusQuery } from '../shared/site.ts';
import { Mark } from '../shared/ui/mark.tsx';

const Home = styled(Link)(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  height: 48,
  paddingInline: 8,
  flex: 'none',
  minWidth: 0,
  overflow: 'hidden',
  borderRadius: 6,
  color: theme.vars?.palette.text.primary,
  textDecoration: 'none',
}));

/** The site's mark and name, which lead to its front page. `slim`: the mark alone. */
export function Brand({ slim, onNavigate }: { slim?: boolean; onNavigate?: () => void }) {
  const { data: status } = useGetStatusQuery();
  const name = status?.system_name || 'Tollgate';
  return (
    <Home to="/" aria-label={name} {...(onNavigate && { onClick: onNavigate })}>
      <Mark logo={status?.logo ?? ''} size={24} />
      {!slim && (
        <Typography variant="h2" component="span" noWrap>
          {name}
        </Typography>
      )}
    </Home>
  );
}
